import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconAlertCircle, IconRefresh } from "@tabler/icons-react";
import { Link } from "wouter";
import { ApiError } from "~/api/client";
import { errorText } from "~/parts/errorText";
import { pluralize } from "~/parts/format";
import { canManageTeam, useMe } from "~/shell/login";

const QUOTA_ERROR = "AI token limit reached";
const NO_WORKER_ERROR = "Worker not configured";

/** Explains why a question was not answered and what to do next. */
export function AnswerError({ error, retry }: { error: Error; retry?: () => void }) {
  const me = useMe();
  const status = error instanceof ApiError ? error.status : 0;
  const wait = error instanceof ApiError ? error.retryAfterSeconds : null;
  const overQuota = status === 403 || error.message === QUOTA_ERROR;
  const noWorker = error.message === NO_WORKER_ERROR;
  const message = () => {
    if (overQuota) return "Your team has used all of this month's AI tokens and has no credits left.";
    if (noWorker) return "Ask isn't available: the answer worker is not configured on this server.";
    if (status === 503) return "The answer worker is temporarily unavailable. Try again in a few seconds.";
    if (status === 429)
      return `Too many requests. ${wait ? `Try again in ${pluralize(wait, "second")}.` : "Try again in a moment."}`;
    if (status === 401) return "The request to the answer worker expired. Ask again.";
    return errorText(error);
  };
  const advice = () => {
    if (overQuota && !canManageTeam(me)) return "Ask the team's owner to buy credits or change the plan.";
    if (noWorker)
      return "Ask the server administrator to set LOREMARK_WORKER_URL and LOREMARK_WORKER_SECRET.";
    return null;
  };
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<IconAlertCircle />}
      title="Couldn't get an answer"
      role="alert"
      mt="md"
    >
      <Text size="sm">{message()}</Text>
      {advice() && (
        <Text size="sm" c="dimmed">
          {advice()}
        </Text>
      )}
      <Group gap="md" mt="xs">
        {overQuota && canManageTeam(me) && (
          <Anchor component={Link} href="/billing" size="sm">
            Go to Billing
          </Anchor>
        )}
        {retry && !overQuota && (
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={retry}>
            Ask again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
