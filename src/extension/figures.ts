/**
 * Numbers and times of day as people read them, in the languages that the extension speaks. Not by `Intl`: its tables take
 * a host up to fifty milliseconds when they are first needed, and that is while somebody types.
 */

/** A whole number; its thousands are parted by commas, as in English, Japanese and Chinese. */
export function counted(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Hours and minutes of the local time, by 24 hours. */
export function timeOfDay(date: Date): string {
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
