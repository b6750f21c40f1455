import type { components } from "~/api/schema";
import { useGet } from "~/api/hooks";

export type Pack = components["schemas"]["SoldPack"];
export type Plan = components["schemas"]["SoldPlan"];

/** What is sold here: the operator may have a table of plans and packs of their own. */
export const useOffers = () => useGet("/api/billing/offers");

const euro = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

export const money = (cents: number) => euro.format(cents / 100);
export const dayOf = (iso: string) => day.format(new Date(iso));

const SIZES = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function bytes(value: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  const shown = value / 1024 ** step;
  return `${shown.toFixed(step === 0 || shown >= 100 || Number.isInteger(shown) ? 0 : 1)} ${SIZES[step]}`;
}

/** Known before it is sent, so that a purchase that is sent twice is made once. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
