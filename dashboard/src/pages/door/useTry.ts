import { useCallback, useState } from "react";
import type { ApiError } from "~/api/client";
import { useWait } from "./Refused";

/** Something that is sent once at a time and may be refused. */
export function useTry() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const wait = useWait(problem);
  const attempt = useCallback(async (act: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await act();
    } catch (refused) {
      setProblem(refused as ApiError);
    } finally {
      setBusy(false);
    }
  }, []);
  return { attempt, busy, problem, wait };
}
