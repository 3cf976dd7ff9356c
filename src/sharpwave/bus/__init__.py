"""Telling others what happened: webhooks."""
