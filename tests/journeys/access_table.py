"""Who may do what: every route by everybody. A number is the status of a success, a pair a refusal and its text.

owner, admin    of the team                     stranger    the owner of another team
lead            member; the project's admin     removed     was a member, with a key and a login from then
assigned        member; the project's member    anonymous   brings nothing
unassigned      member; not of the project
"""

from __future__ import annotations

Refused = tuple[int, str]
Cell = int | Refused

OUT = (401, "Invalid or missing authentication credentials")
NO = (403, "Forbidden")
P404 = (404, "Project not found")
M404 = (404, "Member not found")
K404 = (404, "Key not found")
S404 = (404, "Session not found")
W404 = (404, "Webhook not found")
I404 = (404, "Item not found")
C404 = (404, "Context not found")
UNSIGNED = (401, "Missing required header")

# fmt: off
TABLE: dict[str, tuple[Cell, ...]] = {
    # call                              owner admin lead  assigned unassigned stranger removed anonymous
    "auth.register":                    (201, 201,  201,  201,     201,       201,     201,    201),
    "auth.login":                       (200, 200,  200,  200,     200,       200,     200,    200),
    "auth.logout":                      (204, 204,  204,  204,     204,       204,     OUT,    OUT),
    "auth.me":                          (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "auth.password":                    (204, 204,  204,  204,     204,       204,     OUT,    OUT),
    "team.list":                        (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "team.list (invited)":              (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "team.invite":                      (201, 201,  NO,   NO,      NO,        201,     OUT,    OUT),
    "team.update":                      (200, 200,  NO,   NO,      NO,        M404,    OUT,    OUT),
    "team.remove":                      (204, 204,  NO,   NO,      NO,        M404,    OUT,    OUT),
    "team.remove (invitation)":         (204, 204,  NO,   NO,      NO,        M404,    OUT,    OUT),
    "team.accept":                      (200, 200,  200,  200,     200,       200,     200,    200),
    "projects.list":                    (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "projects.create":                  (201, 201,  NO,   NO,      NO,        201,     OUT,    OUT),
    "projects.get":                     (200, 200,  200,  200,     P404,      P404,    OUT,    OUT),
    "projects.get (public)":            (200, 200,  200,  200,     200,       P404,    OUT,    OUT),
    "projects.update":                  (200, 200,  200,  NO,      P404,      P404,    OUT,    OUT),
    "projects.update (public)":         (200, 200,  200,  NO,      NO,        P404,    OUT,    OUT),
    "projects.delete":                  (204, 204,  204,  NO,      P404,      P404,    OUT,    OUT),
    "projects.delete (public)":         (204, 204,  204,  NO,      NO,        P404,    OUT,    OUT),
    "projects.list_members":            (200, 200,  200,  200,     P404,      P404,    OUT,    OUT),
    "projects.list_members (public)":   (200, 200,  200,  200,     200,       P404,    OUT,    OUT),
    "projects.add_member":              (201, 201,  201,  NO,      P404,      P404,    OUT,    OUT),
    "projects.add_member (public)":     (201, 201,  201,  NO,      NO,        P404,    OUT,    OUT),
    # An unknown address is invited to the team, which only its owner and admins may do.
    "projects.add_member (unknown)":    (201, 201,  NO,   NO,      P404,      P404,    OUT,    OUT),
    "projects.remove_member":           (204, 204,  204,  NO,      P404,      P404,    OUT,    OUT),
    "projects.remove_member (public)":  (204, 204,  204,  NO,      NO,        P404,    OUT,    OUT),
    "projects.get_hmac_secret":         (200, 200,  200,  NO,      P404,      P404,    OUT,    OUT),
    "projects.get_hmac_secret (public)": (200, 200, 200,  NO,      NO,        P404,    OUT,    OUT),
    "projects.rotate_hmac_secret":      (200, 200,  200,  NO,      P404,      P404,    OUT,    OUT),
    "projects.rotate_hmac_secret (public)": (200, 200, 200, NO,    NO,        P404,    OUT,    OUT),
    "keys.list":                        (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "keys.list (team)":                 (200, 200,  NO,   NO,      NO,        200,     OUT,    OUT),
    "keys.create":                      (201, 201,  201,  201,     201,       201,     OUT,    OUT),
    "keys.delete":                      (204, 204,  204,  204,     204,       204,     OUT,    OUT),
    "keys.delete (the owner's)":        (204, 204,  K404, K404,    K404,      K404,    OUT,    OUT),
    # A signature speaks for the project, whoever sends it; test_access.py tries everybody without one.
    "ingest.send":                      (202, 202,  202,  202,     202,       202,     202,    202),
    "ingest.send (again)":              (202, 202,  202,  202,     202,       202,     202,    202),
    "sessions.list":                    (200, 200,  200,  200,     P404,      P404,    OUT,    OUT),
    "sessions.list (public)":           (200, 200,  200,  200,     200,       P404,    OUT,    OUT),
    "sessions.list (all)":              (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "sessions.create":                  (201, 201,  201,  201,     P404,      P404,    OUT,    OUT),
    "sessions.create (public)":         (201, 201,  201,  201,     NO,        P404,    OUT,    OUT),
    "sessions.get":                     (200, 200,  200,  200,     S404,      S404,    OUT,    OUT),
    "sessions.get (public)":            (200, 200,  200,  200,     200,       S404,    OUT,    OUT),
    "sessions.update":                  (200, 200,  200,  200,     S404,      S404,    OUT,    OUT),
    "sessions.update (public)":         (200, 200,  200,  200,     NO,        S404,    OUT,    OUT),
    "sessions.enrich":                  (202, 202,  202,  202,     S404,      S404,    OUT,    OUT),
    "sessions.enrich (public)":         (202, 202,  202,  202,     NO,        S404,    OUT,    OUT),
    "sessions.retry":                   (202, 202,  202,  202,     S404,      S404,    OUT,    OUT),
    "sessions.retry (public)":          (202, 202,  202,  202,     NO,        S404,    OUT,    OUT),
    "sessions.events":                  (200, 200,  200,  200,     S404,      S404,    OUT,    OUT),
    "sessions.events (public)":         (200, 200,  200,  200,     200,       S404,    OUT,    OUT),
    "sessions.jobs":                    (200, 200,  200,  200,     S404,      S404,    OUT,    OUT),
    "sessions.jobs (public)":           (200, 200,  200,  200,     200,       S404,    OUT,    OUT),
    "items.list":                       (200, 200, 200, 200, P404, P404, OUT, OUT),
    "items.list (public)":              (200, 200, 200, 200, 200, P404, OUT, OUT),
    "items.list (all)":                 (200, 200, 200, 200, 200, 200, OUT, OUT),
    "items.get":                        (200, 200, 200, 200, I404, I404, OUT, OUT),
    "items.get (public)":               (200, 200, 200, 200, 200, I404, OUT, OUT),
    "items.update":                     (200, 200, 200, 200, I404, I404, OUT, OUT),
    "items.update (public)":            (200, 200, 200, 200, NO, I404, OUT, OUT),
    "items.delete":                     (204, 204, 204, 204, I404, I404, OUT, OUT),
    "items.delete (public)":            (204, 204, 204, 204, NO, I404, OUT, OUT),
    "items.revisions":                  (200, 200, 200, 200, I404, I404, OUT, OUT),
    "items.revisions (public)":         (200, 200, 200, 200, 200, I404, OUT, OUT),
    "items.revert":                     (200, 200, 200, 200, I404, I404, OUT, OUT),
    "items.revert (public)":            (200, 200, 200, 200, NO, I404, OUT, OUT),
    # A context without a project is the whole team's: everybody reads it, its owner and admins write it.
    "contexts.list":                    (200, 200, 200, 200, P404, P404, OUT, OUT),
    "contexts.list (public)":           (200, 200, 200, 200, 200, P404, OUT, OUT),
    "contexts.list (all)":              (200, 200, 200, 200, 200, 200, OUT, OUT),
    "contexts.tree":                    (200, 200, 200, 200, P404, P404, OUT, OUT),
    "contexts.tree (public)":           (200, 200, 200, 200, 200, P404, OUT, OUT),
    "contexts.tree (all)":              (200, 200, 200, 200, 200, 200, OUT, OUT),
    "contexts.create":                  (201, 201, 201, 201, P404, P404, OUT, OUT),
    "contexts.create (public)":         (201, 201, 201, 201, NO, P404, OUT, OUT),
    "contexts.create (below)":          (201, 201, 201, 201, C404, C404, OUT, OUT),
    "contexts.create (below) (public)": (201, 201, 201, 201, NO, C404, OUT, OUT),
    "contexts.create (team-wide)":      (201, 201, NO, NO, NO, 201, OUT, OUT),
    "contexts.populate":                (200, 200, 200, 200, P404, P404, OUT, OUT),
    "contexts.populate (public)":       (200, 200, 200, 200, NO, P404, OUT, OUT),
    "contexts.populate (team-wide)":    (200, 200, NO, NO, NO, 200, OUT, OUT),
    "contexts.get":                     (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.get (public)":            (200, 200, 200, 200, 200, C404, OUT, OUT),
    "contexts.get (team-wide)":         (200, 200, 200, 200, 200, C404, OUT, OUT),
    "contexts.update":                  (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.update (public)":         (200, 200, 200, 200, NO, C404, OUT, OUT),
    "contexts.update (team-wide)":      (200, 200, NO, NO, NO, C404, OUT, OUT),
    "contexts.delete":                  (204, 204, 204, 204, C404, C404, OUT, OUT),
    "contexts.delete (public)":         (204, 204, 204, 204, NO, C404, OUT, OUT),
    "contexts.delete (team-wide)":      (204, 204, NO, NO, NO, C404, OUT, OUT),
    "contexts.approve":                 (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.approve (public)":        (200, 200, 200, 200, NO, C404, OUT, OUT),
    "contexts.approve (team-wide)":     (200, 200, NO, NO, NO, C404, OUT, OUT),
    "contexts.compact":                 (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.compact (public)":        (200, 200, 200, 200, NO, C404, OUT, OUT),
    "contexts.compact (team-wide)":     (200, 200, NO, NO, NO, C404, OUT, OUT),
    "contexts.revisions":               (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.revisions (public)":      (200, 200, 200, 200, 200, C404, OUT, OUT),
    "contexts.revisions (team-wide)":   (200, 200, 200, 200, 200, C404, OUT, OUT),
    "contexts.revert":                  (200, 200, 200, 200, C404, C404, OUT, OUT),
    "contexts.revert (public)":         (200, 200, 200, 200, NO, C404, OUT, OUT),
    "contexts.revert (team-wide)":      (200, 200, NO, NO, NO, C404, OUT, OUT),
    "webhooks.list":                    (200, 200,  200,  NO,      P404,      P404,    OUT,    OUT),
    "webhooks.list (public)":           (200, 200,  200,  NO,      NO,        P404,    OUT,    OUT),
    # Without a project it is those of the whole team.
    "webhooks.list (all)":              (200, 200,  NO,   NO,      NO,        200,     OUT,    OUT),
    "webhooks.create":                  (201, 201,  201,  NO,      P404,      P404,    OUT,    OUT),
    "webhooks.create (public)":         (201, 201,  201,  NO,      NO,        P404,    OUT,    OUT),
    "webhooks.update":                  (200, 200,  200,  NO,      W404,      W404,    OUT,    OUT),
    "webhooks.update (public)":         (200, 200,  200,  NO,      NO,        W404,    OUT,    OUT),
    "webhooks.delete":                  (204, 204,  204,  NO,      W404,      W404,    OUT,    OUT),
    "webhooks.delete (public)":         (204, 204,  204,  NO,      NO,        W404,    OUT,    OUT),
    "webhooks.deliveries":              (200, 200,  200,  NO,      W404,      W404,    OUT,    OUT),
    "webhooks.deliveries (public)":     (200, 200,  200,  NO,      NO,        W404,    OUT,    OUT),
    "webhooks.test":                    (200, 200,  200,  NO,      W404,      W404,    OUT,    OUT),
    "webhooks.test (public)":           (200, 200,  200,  NO,      NO,        W404,    OUT,    OUT),
    "webhooks.redeliver":               (200, 200,  200,  NO,      W404,      W404,    OUT,    OUT),
    "webhooks.redeliver (public)":      (200, 200,  200,  NO,      NO,        W404,    OUT,    OUT),
    "audit.list":                       (200, 200,  NO,   NO,      NO,        200,     OUT,    OUT),
    "live.stream":                      (200, 200,  200,  200,     200,       200,     OUT,    OUT),
    "operations.healthz":               (200, 200,  200,  200,     200,       200,     200,    200),
    "operations.readyz":                (200, 200,  200,  200,     200,       200,     200,    200),
    "operations.metrics":               (200, 200,  200,  200,     200,       200,     200,    200),
    "operations.openapi":               (200, 200,  200,  200,     200,       200,     200,    200),
    "operations.docs":                  (200, 200,  200,  200,     200,       200,     200,    200),
    "dashboard.home":                   (200, 200,  200,  200,     200,       200,     200,    200),
    "dashboard.invitation":             (200, 200,  200,  200,     200,       200,     200,    200),
    "dashboard.asset":                  (200, 200,  200,  200,     200,       200,     200,    200),
    "dashboard.signin":                 (303, 303,  303,  303,     303,       303,     303,    303),
}
# fmt: on
