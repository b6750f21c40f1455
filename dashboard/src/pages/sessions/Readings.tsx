import { Text } from "@mantine/core";
import { useGet } from "~/api/hooks";
import type { Reading, Session } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { formatNumber, RelativeTime } from "~/parts/format";
import { sourceName } from "~/parts/names";

const OUTCOME: Record<string, string> = {
  open: "in progress",
  answered: "waiting for enrichment",
  applied: "applied",
  failed: "failed",
};

function reader(reading: Reading): string {
  if (reading.agent === "") return reading.model;
  const agent = sourceName(reading.agent);
  return reading.model === "" ? agent : `${agent} (${reading.model})`;
}

/** Which language models or coding agents read the session, and what that cost. */
export function Readings({ session }: { session: Session }) {
  const readings = useGet("/api/v2/sessions/{id}/readings", { path: { id: session.id } });
  return (readings.data ?? []).map((reading) => (
    <Text key={reading.id} size="xs" c="dimmed" mt={4}>
      Read by {reader(reading)} <RelativeTime at={reading.createdAt} />:{" "}
      {formatNumber(reading.promptTokens + reading.completionTokens)} tokens,{" "}
      {lookup(OUTCOME, reading.status) ?? reading.status}
      {reading.error !== "" && ` (${reading.error})`}
    </Text>
  ));
}
