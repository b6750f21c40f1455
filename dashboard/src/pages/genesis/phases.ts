import type { components } from "~/api/schema";

export type Scan = components["schemas"]["Scan"];
export type Phase = (typeof PHASES)[number]["phase"];

/** The phases of a scan in order. */
export const PHASES = [
  { phase: "fetch_tree", name: "List files", about: "Listing the files of the branch." },
  { phase: "fetch_files", name: "Fetch files", about: "Downloading text files." },
  { phase: "build_chunks", name: "Build chunks", about: "Splitting files into chunks." },
  { phase: "analyze", name: "Analyze", about: "Analyzing each chunk." },
  { phase: "synthesize", name: "Synthesize", about: "Combining the results of all files." },
  { phase: "security_audit", name: "Security audit", about: "Looking for vulnerabilities and secrets." },
  { phase: "assemble", name: "Save", about: "Adding findings to memory and the map." },
  { phase: "complete", name: "Complete", about: "Done." },
] as const;

/** Progress at which each phase starts; tells in which phase a cancelled or failed scan stopped. */
const PHASE_STARTS = [0, 0.1, 0.18, 0.2, 0.82, 0.9, 0.94, 1];

export const isFinished = (scan: Scan) => scan.completedAt !== null;

/** Index of the phase a scan is in or stopped in. */
export function phaseIndex(scan: Scan): number {
  const named = PHASES.findIndex(({ phase }) => phase === scan.phase);
  if (named >= 0) return named;
  return PHASE_STARTS.findLastIndex((start) => scan.progress >= start);
}

export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
