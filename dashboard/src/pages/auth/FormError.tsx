import { Alert } from "@mantine/core";
import { IconAlertCircle, IconClockPause } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { ApiError } from "~/api/client";
import { errorText } from "~/parts/errorText";
import { pluralize } from "~/parts/format";

/** Seconds until a rate-limited request may be retried; 0 once it may. */
export function useRetryCountdown(error: ApiError | null): number {
  const [secondsLeft, setSecondsLeft] = useState(0);
  useEffect(() => {
    const until = error?.status === 429 ? Date.now() + (error.retryAfterSeconds ?? 60) * 1000 : 0;
    const update = () => setSecondsLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    update();
    if (until === 0) return undefined;
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return secondsLeft;
}

/** The server's error message, or a countdown after too many attempts. */
export function FormError({ error, retryIn }: { error: ApiError | null; retryIn: number }) {
  if (error === null) return null;
  if (error.status === 429)
    return (
      <Alert
        color="yellow"
        variant="outline"
        role="alert"
        icon={<IconClockPause />}
        title="Too many attempts"
      >
        {retryIn > 0 ? `Try again in ${pluralize(retryIn, "second")}.` : "You can try again now."}
      </Alert>
    );
  return (
    <Alert color="red" variant="outline" role="alert" icon={<IconAlertCircle />}>
      {errorText(error)}
    </Alert>
  );
}
