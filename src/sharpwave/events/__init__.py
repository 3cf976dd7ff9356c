"""Delivery of events: webhooks, and subscribers of a bus."""
