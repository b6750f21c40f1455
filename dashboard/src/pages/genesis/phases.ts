import type { components } from "~/api/schema";

export type Scan = components["schemas"]["Scan"];
export type Phase = (typeof PHASES)[number]["phase"];

/** What a scan does, in its order, in words for somebody who sees one for the first time. */
export const PHASES = [
  { phase: "fetch_tree", name: "List files", about: "It asks the host which files the branch has." },
  { phase: "fetch_files", name: "Fetch files", about: "It fetches those that can be read as text." },
  { phase: "build_chunks", name: "Cut chunks", about: "It cuts them into pieces of one subject each." },
  { phase: "analyze", name: "Read code", about: "It reads every piece: what it does, uses and offers." },
  { phase: "synthesize", name: "Conclude", about: "It looks at all files together and says what matters." },
  { phase: "security_audit", name: "Audit", about: "It looks for weaknesses and for secrets in the code." },
  { phase: "assemble", name: "Remember", about: "It hands what was found over to the memory and the map." },
  { phase: "complete", name: "Complete", about: "All is read." },
] as const;

/** How far a scan has come when a phase begins: tells where one that has ended early stood. */
const BEGINS_AT = [0, 0.1, 0.18, 0.2, 0.82, 0.9, 0.94, 1];

export const isOver = (scan: Scan) => scan.completedAt !== null;

/** The place of the phase that a scan is in, or stopped in. */
export function reached(scan: Scan): number {
  const named = PHASES.findIndex((one) => one.phase === scan.phase);
  if (named >= 0) return named;
  return BEGINS_AT.findLastIndex((begins) => scan.progress >= begins);
}

export function lasted(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
