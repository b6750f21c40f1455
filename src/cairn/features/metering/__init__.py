"""What models cost: the cap before a call, the charge with its result.

Tables: ai_reservations, usage_counters, credit_transactions, billing_accounts. Emits nothing.
"""
