/** What `Retry-After` asks for, read leniently and capped. Apart from the rest so that downloads need no SDK. */

/** The longest pause a server may ask for, seconds. */
const RETRY_AFTER_CAP = 60;

/** `Retry-After` in seconds (a number or a date), capped; undefined where it says nothing usable. */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const seconds = /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), RETRY_AFTER_CAP) : undefined;
}
