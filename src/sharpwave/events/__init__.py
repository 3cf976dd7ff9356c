"""Telling others what happened: webhooks, and whoever listens on a bus."""
