"""Webhooks: subscriptions and their deliveries, which are signed, retried and kept for inspection.

Owns: webhooks, webhook_deliveries; drains the outbox. Deliveries are created in the transaction that removes their
event from the outbox, so neither a crash nor a slow receiver loses one. A deleted webhook disappears immediately; a
job removes its deliveries.
"""
