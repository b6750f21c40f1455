"""People: accounts, browser logins, one-time sign-in links, and the team a new account begins with.

Owns: users, teams, team_members (creation), logins, signin_links, installation.
"""
