import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { ItemsQuery } from "~/api/items";
import type { ItemFlag, ItemStatus, ItemType } from "~/api/types";
import { TYPES } from "~/parts/Tag";

export type Way = "words" | "meaning";

/** What one looks for, as it stands in the address of the page: it can be kept, sent and gone back to. */
export interface Filters {
  way: Way;
  q: string;
  status: ItemStatus | "";
  type: ItemType | "";
  flag: ItemFlag | "";
  schemaKey: string;
  file: string;
  branch: string;
  sure: Sure | "";
}

export const STATUSES: ItemStatus[] = ["draft", "approved", "deprecated"];
export const FLAGS: [ItemFlag, string][] = [
  ["conflict", "conflict"],
  ["stale", "stale"],
  ["low_confidence", "low confidence"],
  ["quality", "quality"],
  ["redacted", "redacted"],
];
export type Sure = "high" | "middle" | "low";
export const SURE: Record<Sure, { label: string; min?: number; max?: number }> = {
  high: { label: "90% and more", min: 0.9 },
  middle: { label: "60% to 90%", min: 0.6, max: 0.8999 },
  low: { label: "below 60%", max: 0.5999 },
};
const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-]+){0,7}$/;

const one = <T extends string>(value: string | null, of: readonly T[]): T | "" =>
  of.find((known) => known === value) ?? "";

export function useFilters(): [Filters, (change: Partial<Filters>) => void] {
  const [asked, setAsked] = useSearchParams();
  const filters = useMemo<Filters>(
    () => ({
      way: asked.get("way") === "meaning" ? "meaning" : "words",
      q: asked.get("q") ?? "",
      status: one(asked.get("status"), STATUSES),
      type: one(asked.get("type"), TYPES),
      flag: one(
        asked.get("flag"),
        FLAGS.map(([flag]) => flag),
      ),
      schemaKey: asked.get("schemaKey") ?? "",
      file: asked.get("file") ?? "",
      branch: asked.get("branch") ?? "",
      sure: one(asked.get("sure"), ["high", "middle", "low"] as const),
    }),
    [asked],
  );
  const change = useCallback(
    (by: Partial<Filters>) =>
      setAsked(
        (before) => {
          const now = new URLSearchParams(before);
          for (const [name, value] of Object.entries(by)) {
            if (value && value !== "words") now.set(name, value);
            else now.delete(name);
          }
          return now;
        },
        { replace: true },
      ),
    [setAsked],
  );
  return [filters, change];
}

const NARROWING = ["status", "type", "flag", "schemaKey", "file", "branch", "sure"] as const;

/** How many filters hold, besides the words. */
export const narrowed = (filters: Filters) => NARROWING.filter((name) => filters[name] !== "").length;

export const NOTHING: Partial<Filters> = {
  q: "",
  status: "",
  type: "",
  flag: "",
  schemaKey: "",
  file: "",
  branch: "",
  sure: "",
};

/** A key as one would type it: without a slash at its end. */
export const cleanKey = (typed: string) => typed.trim().toLowerCase().replace(/\/+$/, "");
export const isKey = (typed: string) => typed === "" || KEY.test(cleanKey(typed));

export function asQuery(projectId: string, filters: Filters): ItemsQuery {
  const sure: { min?: number; max?: number } = filters.sure ? SURE[filters.sure] : {};
  const key = cleanKey(filters.schemaKey);
  const words = filters.q.trim().slice(0, 200);
  return {
    projectId,
    ...(words ? { q: words } : {}),
    ...(filters.status ? { status: filters.status } : {}),
    ...(filters.type ? { type: filters.type } : {}),
    ...(filters.flag ? { flag: filters.flag } : {}),
    ...(key && KEY.test(key) ? { schemaKey: key } : {}),
    ...(filters.file ? { files: filters.file } : {}),
    ...(filters.branch ? { branch: filters.branch } : {}),
    ...(sure.min === undefined ? {} : { minConfidence: sure.min }),
    ...(sure.max === undefined ? {} : { maxConfidence: sure.max }),
  };
}
