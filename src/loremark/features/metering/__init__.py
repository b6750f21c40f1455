"""What a team uses: the plan's counters, and what models cost (the cap before a call, the charge with its result).

Owns: ai_reservations, usage_counters, credit_transactions, billing_accounts. Tells nothing.
"""
