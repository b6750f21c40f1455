import type { components } from "~/api/schema";
import { useGet } from "~/api/hooks";

export type Pack = components["schemas"]["CatalogPack"];
export type Plan = components["schemas"]["CatalogPlan"];

/** Plans and credit packs for sale; operators can define their own. */
export const useCatalog = () => useGet("/api/billing/catalog");

const euroFormat = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const dayFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

export const formatMoney = (cents: number) => euroFormat.format(cents / 100);
export const formatDay = (iso: string) => dayFormat.format(new Date(iso));

const SIZES = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function formatBytes(value: number): string {
  const unit = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  const shown = value / 1024 ** unit;
  return `${shown.toFixed(unit === 0 || shown >= 100 || Number.isInteger(shown) ? 0 : 1)} ${SIZES[unit]}`;
}

/** Generated before sending, so a retried purchase is charged only once. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
