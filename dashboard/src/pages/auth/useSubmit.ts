import { useCallback, useState } from "react";
import type { ApiError } from "~/api/client";
import { useRetryCountdown } from "./FormError";

/** Runs a form submission and tracks its state, error and rate-limit countdown. */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const retryIn = useRetryCountdown(error);
  const submit = useCallback(async (send: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await send();
    } catch (caught) {
      setError(caught as ApiError);
    } finally {
      setBusy(false);
    }
  }, []);
  return { submit, busy, error, retryIn };
}
