import { Alert } from "@mantine/core";
import { IconAlertCircle, IconClockPause } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { ApiError } from "~/api/client";
import { amount } from "~/parts/Time";

/** Whole seconds until one may try again; 0 when one may. */
export function useWait(problem: ApiError | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const until = problem?.status === 429 ? Date.now() + (problem.retryAfterSeconds ?? 60) * 1000 : 0;
    const look = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    look();
    if (until === 0) return undefined;
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [problem]);
  return left;
}

/** Why it was refused, in the server's words; and when to try again, if it was too often. */
export function Refused({ problem, wait }: { problem: ApiError | null; wait: number }) {
  if (problem === null) return null;
  if (problem.status === 429)
    return (
      <Alert
        color="yellow"
        variant="outline"
        role="alert"
        icon={<IconClockPause />}
        title="That was too often in a short time"
      >
        {wait > 0 ? `Try again in ${amount(wait, "second")}.` : "You can try again now."}
      </Alert>
    );
  return (
    <Alert color="red" variant="outline" role="alert" icon={<IconAlertCircle />}>
      {problem.message}
    </Alert>
  );
}
