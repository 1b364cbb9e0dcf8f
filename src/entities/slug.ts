import slugify from '@sindresorhus/slugify';

/** The slug of a name: lower-case, transliterated, dashes between words; the fallback where a name leaves nothing. */
export const slugOf = (name: string, fallback: string): string => slugify(name) || fallback;

/** The slug of a device: that of its name, else of its serial, whose upper case begins no word. */
export const slugOfDevice = (name: string | null | undefined, serial: string, id: string): string =>
  slugOf(name ?? serial.toLowerCase(), id);
