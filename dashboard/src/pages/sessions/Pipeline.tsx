import { Alert, Loader, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleMinus,
  IconCircleXFilled,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useGet } from "~/api/hooks";
import type { Job, Session } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { modelName } from "~/parts/names";
import { Loaded } from "~/parts/Page";
import { Tag, type Tone } from "~/parts/Tag";
import { pluralize, formatMs, RelativeTime } from "~/parts/format";
import classes from "./sessions.module.css";
import { Collapsible } from "./PayloadFields";
import { formatDuration, type Stage } from "./format";
import { Readings } from "./Readings";

const STAGES: Record<string, [name: string, about: string]> = {
  enrich: ["Enrich", "extracts memories from the events"],
  embed: ["Embed", "creates embeddings for semantic search"],
  dedup: ["Dedup", "merges duplicates"],
  drift_check: ["Drift check", "compares with existing memories and changed files"],
};
const ICON: Record<Stage["status"], ReactNode> = {
  completed: <IconCircleCheckFilled size={18} className={classes.good} />,
  failed: <IconCircleXFilled size={18} className={classes.bad} />,
  running: <Loader size={16} />,
  skipped: <IconCircleMinus size={18} />,
  pending: <IconCircle size={18} stroke={1.4} />,
};
const TONE: Record<Job["status"], Tone> = {
  queued: "info",
  running: "soft",
  completed: "good",
  failed: "bad",
  cancelled: "plain",
};

function StageRow({ stage }: { stage: Stage }) {
  const [name, about] = lookup(STAGES, stage.stage) ?? [stage.stage, ""];
  return (
    <li className={classes.stage} data-status={stage.status}>
      <span className={classes.stageIcon} aria-hidden>
        {ICON[stage.status]}
      </span>
      <span className={classes.stageText}>
        <Text span size="sm" fw={600}>
          {name}
        </Text>
        <Text span size="xs" c="dimmed">
          {about}
        </Text>
      </span>
      <Text span size="xs" c="dimmed" className={classes.stageState}>
        {stage.status === "completed" && stage.duration !== null ? formatMs(stage.duration) : stage.status}
        {stage.status === "completed" && <span className="visually-hidden"> completed</span>}
      </Text>
    </li>
  );
}

function Run({ job }: { job: Job }) {
  const done = job.pipeline.filter(
    (stage) => stage.status === "completed" || stage.status === "skipped",
  ).length;
  const took = job.completedAt
    ? formatDuration(Date.parse(job.completedAt) - Date.parse(job.createdAt))
    : null;
  return (
    <>
      <div className={classes.runHead}>
        <Tag tone={TONE[job.status]}>{job.status === "cancelled" ? "canceled" : job.status}</Tag>
        <Text size="xs" c="dimmed">
          <RelativeTime at={job.createdAt} />
          {took && `, took ${took}`}
        </Text>
      </div>
      <div
        className={classes.progress}
        role="progressbar"
        aria-label="Completed stages"
        aria-valuemin={0}
        aria-valuemax={job.pipeline.length}
        aria-valuenow={done}
        data-status={job.status}
      >
        <div style={{ width: `${(done / Math.max(1, job.pipeline.length)) * 100}%` }} />
      </div>
      <ol className={classes.stages} aria-label="Stages">
        {job.pipeline.map((stage) => (
          <StageRow key={stage.stage} stage={stage} />
        ))}
      </ol>
      {job.status === "completed" && (
        <Text size="sm" mt="xs">
          {job.itemsExtracted === 0
            ? "No new memories."
            : `Extracted ${pluralize(job.itemsExtracted, "memory", "memories")}.`}
        </Text>
      )}
      {job.warning && (
        <Alert
          variant="outline"
          color={job.status === "failed" ? "red" : "gray"}
          icon={<IconAlertTriangle size={18} />}
          mt="sm"
          p="xs"
          title={job.status === "failed" ? "Enrichment failed" : "Warning"}
          role="note"
        >
          <Text size="xs" className={classes.warning}>
            {job.warning}
          </Text>
        </Alert>
      )}
    </>
  );
}

/** The session's enrichment runs: the latest with live progress, earlier ones collapsed. */
export function Pipeline({ session, children }: { session: Session; children?: ReactNode }) {
  const jobs = useGet("/api/v2/sessions/{id}/jobs", { path: { id: session.id }, query: { limit: 20 } });
  return (
    <section className={classes.panel} aria-labelledby="pipeline">
      <h2 className={classes.panelTitle} id="pipeline">
        Pipeline
      </h2>
      <Loaded query={jobs}>
        {([latest, ...earlier]) => (
          <>
            {latest ? (
              <Run job={latest} />
            ) : (
              <Text size="sm" c="dimmed">
                {session.status === "enriching"
                  ? "Enrichment is starting."
                  : "This session has not been enriched. Enrichment extracts memories from its events."}
              </Text>
            )}
            {children}
            <Text size="xs" c="dimmed" mt="sm">
              Model: {modelName(session.enrichmentModel)}
            </Text>
            <Readings session={session} />
            {earlier.length > 0 && (
              <Collapsible title={`Earlier runs (${earlier.length})`}>
                {() =>
                  earlier.map((job) => (
                    <div key={job.id} className={classes.earlier}>
                      <Run job={job} />
                    </div>
                  ))
                }
              </Collapsible>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
