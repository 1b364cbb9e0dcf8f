import slugify from '@sindresorhus/slugify';

/** The slug of a name: lower-case, transliterated, dashes between words; the fallback where a name leaves nothing. */
export const slugOf = (name: string, fallback: string): string => slugify(name) || fallback;
