"""Usage metering: the plan's counters, and AI tokens (reserved before a call, charged with its result).

Owns: ai_reservations, usage_counters, credit_transactions, billing_accounts. Emits nothing.
"""
