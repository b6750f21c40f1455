"""Team members, their roles, and invitations by email.

Owns: team_members (changes and removal), invitations, invitation_projects.
Emits: ``member.added`` and ``member.removed`` webhooks, ``team`` live events. Removal ends access immediately.
"""
