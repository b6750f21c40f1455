/** Returns the link if it is http(s), mailto or local to this site, else null. */
export function safeLink(href: string): string | null {
  // Browsers ignore these characters in URLs; strip them so they can't hide the scheme.
  // oxlint-disable-next-line no-control-regex
  const bare = href.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, "");
  if (/^https?:\/\//i.test(bare) || /^mailto:/i.test(bare)) return bare;
  if (/^\/(?![/\\])/.test(bare) || bare.startsWith("#")) return bare;
  return null;
}
