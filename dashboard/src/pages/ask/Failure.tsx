import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconAlertCircle, IconRefresh } from "@tabler/icons-react";
import { Link } from "wouter";
import { ApiError } from "~/api/client";
import { manages, useMe } from "~/shell/login";

const LIMIT = "AI token limit reached";

/** Why there is no answer, and what can be done. */
export function Failure({ problem, retry }: { problem: Error; retry?: () => void }) {
  const me = useMe();
  const status = problem instanceof ApiError ? problem.status : 0;
  const wait = problem instanceof ApiError ? problem.retryAfterSeconds : null;
  const limited = status === 403 || problem.message === LIMIT;
  const words = () => {
    if (limited) return "The AI tokens of this month are used up, and so are the credits.";
    if (status === 503) return "Nobody answers questions on this server: the answer worker is not set up.";
    if (status === 429)
      return `Too many questions at once. ${wait ? `Try again in ${wait} seconds.` : "Try again in a moment."}`;
    if (status === 401) return "It took too long to reach the worker. Ask again.";
    return problem.message;
  };
  const advice = () => {
    if (limited && !manages(me)) return "Owners and admins of the team can buy credits or change the plan.";
    if (status === 503) return "Whoever runs the server sets LOREMARK_WORKER_URL and LOREMARK_WORKER_SECRET.";
    return null;
  };
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<IconAlertCircle />}
      title="There is no answer"
      role="alert"
      mt="md"
    >
      <Text size="sm">{words()}</Text>
      {advice() && (
        <Text size="sm" c="dimmed">
          {advice()}
        </Text>
      )}
      <Group gap="md" mt="xs">
        {limited && manages(me) && (
          <Anchor component={Link} href="/billing" size="sm">
            Plan and credits
          </Anchor>
        )}
        {retry && !limited && (
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={retry}>
            Ask again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
