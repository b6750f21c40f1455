"""Webhooks: who is told of what, each delivery signed, retried, and kept to look at.

Owns: webhooks, webhook_deliveries; empties the outbox. A delivery is promised in the transaction that takes its event
out of the outbox, so neither a crash nor a slow receiver loses one. A deleted webhook is gone at once; its deliveries
are removed by a job that was promised with it.
"""
