import { Button, Stack, Text } from "@mantine/core";
import { useGet, useSend } from "~/api/hooks";
import { Loaded } from "~/parts/Page";
import { RelativeTime, pluralize } from "~/parts/format";
import classes from "~/parts/settingsSection.module.css";
import { Tag } from "~/parts/Tag";
import { showSuccess } from "~/parts/toast";

/** The browsers the user is signed in on. */
export function Logins() {
  const logins = useGet("/api/auth/logins");
  const end = useSend("delete", "/api/auth/logins/{id}", { invalidates: ["/api/auth/logins"] });
  const endOthers = useSend("delete", "/api/auth/logins", { invalidates: ["/api/auth/logins"] });
  return (
    <Loaded query={logins}>
      {(all) => (
        <Stack gap="sm">
          <ul className={classes.rows} aria-label="Signed-in browsers">
            {all.map((login) => (
              <li key={login.id} className={classes.row}>
                <div>
                  <Text fw={600} truncate>
                    {login.device}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {login.address || "unknown address"}
                    {login.lastUsed && (
                      <>
                        {" · "}last used <RelativeTime at={login.lastUsed} />
                      </>
                    )}
                  </Text>
                </div>
                {login.current ? (
                  <Tag tone="good">This browser</Tag>
                ) : (
                  <Button
                    variant="default"
                    size="xs"
                    h={36}
                    aria-label={`Sign out ${login.device}`}
                    onClick={() =>
                      end.mutate(
                        { path: { id: login.id } },
                        { onSuccess: () => showSuccess(`Signed out ${login.device}.`) },
                      )
                    }
                  >
                    Sign out
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {all.length > 1 && (
            <Button
              variant="default"
              style={{ alignSelf: "flex-start" }}
              loading={endOthers.isPending}
              onClick={() =>
                endOthers.mutate(
                  {},
                  {
                    onSuccess: ({ ended }) => showSuccess(`Signed out ${pluralize(ended, "other browser")}.`),
                  },
                )
              }
            >
              Sign out others
            </Button>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
