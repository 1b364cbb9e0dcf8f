import slugify from '@sindresorhus/slugify';

/**
 * Returns the slug of a name: lower-case, transliterated, with dashes between words. Returns the fallback when nothing
 * of the name is left.
 */
export const slugOf = (name: string, fallback: string): string => slugify(name) || fallback;

/**
 * Returns the slug of a device: that of its name or, without a name, of its serial number. The serial number is
 * lower-cased first, as a capital letter would start a new word.
 */
export const slugOfDevice = (name: string | null | undefined, serial: string, id: string): string =>
  slugOf(name ?? serial.toLowerCase(), id);
