"""Sentences written from events with their meaning, and an independent reader that checks them."""
