"""The team: its members, their roles, and invitations by mail.

Owns: team_members (change and removal), invitations and the projects they are bound to.
Tells: ``team`` notices; ends access at once.
"""
