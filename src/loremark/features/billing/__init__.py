"""Billing: paid plans and credits, with Stripe or the built-in provider.

Owns: billing_accounts, payment_events, and, together with metering, credit_transactions; sets a team's plan. Emits no
webhooks. The balance always equals the sum of the transactions: both are written in one transaction, under the lock
that metering uses to charge, and each transaction has a unique reference.
"""
