/** Only the web and mail, and places of this page; all else is shown as text. */
export function safeLink(href: string): string | null {
  // What a browser ignores inside an address must not hide its scheme from us.
  // oxlint-disable-next-line no-control-regex
  const bare = href.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, "");
  if (/^https?:\/\//i.test(bare) || /^mailto:/i.test(bare)) return bare;
  if (/^\/(?![/\\])/.test(bare) || bare.startsWith("#")) return bare;
  return null;
}
