import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { ItemsQuery } from "~/api/items";
import type { ItemFlag, ItemStatus, ItemType } from "~/api/types";
import { ITEM_TYPES } from "~/parts/Tag";

export type SearchMode = "keyword" | "semantic";

/** Filters are kept in the URL, so they can be bookmarked and shared. */
export interface Filters {
  mode: SearchMode;
  q: string;
  status: ItemStatus | "";
  type: ItemType | "";
  flag: ItemFlag | "";
  schemaKey: string;
  file: string;
  branch: string;
  confidence: ConfidenceRange | "";
}

export const STATUSES: ItemStatus[] = ["draft", "approved", "deprecated"];
export const FLAGS: [ItemFlag, string][] = [
  ["conflict", "conflict"],
  ["stale", "stale"],
  ["low_confidence", "low confidence"],
  ["quality", "low quality"],
  ["redacted", "redacted"],
];
export type ConfidenceRange = "high" | "medium" | "low";
export const CONFIDENCE_RANGES: Record<ConfidenceRange, { label: string; min?: number; max?: number }> = {
  high: { label: "90% or higher", min: 0.9 },
  medium: { label: "60% to 90%", min: 0.6, max: 0.8999 },
  low: { label: "Below 60%", max: 0.5999 },
};
const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-]+){0,7}$/;

const oneOf = <T extends string>(value: string | null, of: readonly T[]): T | "" =>
  of.find((known) => known === value) ?? "";

export function useFilters(): [Filters, (change: Partial<Filters>) => void] {
  const [search, setSearch] = useSearchParams();
  const filters = useMemo<Filters>(
    () => ({
      mode: search.get("mode") === "semantic" ? "semantic" : "keyword",
      q: search.get("q") ?? "",
      status: oneOf(search.get("status"), STATUSES),
      type: oneOf(search.get("type"), ITEM_TYPES),
      flag: oneOf(
        search.get("flag"),
        FLAGS.map(([flag]) => flag),
      ),
      schemaKey: search.get("schemaKey") ?? "",
      file: search.get("file") ?? "",
      branch: search.get("branch") ?? "",
      confidence: oneOf(search.get("confidence"), ["high", "medium", "low"] as const),
    }),
    [search],
  );
  const change = useCallback(
    (by: Partial<Filters>) =>
      setSearch(
        (before) => {
          const now = new URLSearchParams(before);
          for (const [name, value] of Object.entries(by)) {
            if (value && value !== "keyword") now.set(name, value);
            else now.delete(name);
          }
          return now;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return [filters, change];
}

const FILTER_NAMES = ["status", "type", "flag", "schemaKey", "file", "branch", "confidence"] as const;

/** Number of active filters, not counting the search text. */
export const countFilters = (filters: Filters) => FILTER_NAMES.filter((name) => filters[name] !== "").length;

export const NO_FILTERS: Partial<Filters> = {
  q: "",
  status: "",
  type: "",
  flag: "",
  schemaKey: "",
  file: "",
  branch: "",
  confidence: "",
};

/** Normalizes a typed schema key. */
export const cleanKey = (typed: string) => typed.trim().toLowerCase().replace(/\/+$/, "");
export const isKey = (typed: string) => typed === "" || KEY.test(cleanKey(typed));

export function toQuery(projectId: string, filters: Filters): ItemsQuery {
  const range: { min?: number; max?: number } = filters.confidence
    ? CONFIDENCE_RANGES[filters.confidence]
    : {};
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
    ...(range.min === undefined ? {} : { minConfidence: range.min }),
    ...(range.max === undefined ? {} : { maxConfidence: range.max }),
  };
}
