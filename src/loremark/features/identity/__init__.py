"""Accounts, browser logins, one-time sign-in links, and the first team of a new account.

Owns: users, teams, team_members (creation), logins, signin_links, totp, recovery_codes, passkeys, used_challenges,
installation.
"""
