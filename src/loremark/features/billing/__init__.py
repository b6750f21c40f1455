"""Billing: plans and credits that are paid for, by a provider of money or by none.

Owns: billing_accounts, payment_events, and (with metering, which takes what is spent) credit_transactions; sets a
team's plan. Tells nothing. The balance is always the sum of the transactions: both are written in one transaction,
under the lock that metering charges under, and each transaction's reference is unique.
"""
