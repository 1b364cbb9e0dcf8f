/** Text encoding of a frame's payload. */
export type PayloadEncoding = 'hex' | 'base64' | 'utf8';

const readers: Record<PayloadEncoding, (text: string) => Buffer | undefined> = {
  hex: (text) => {
    const digits = text.replace(/\s/g, '');
    return /^([0-9a-f]{2})*$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
  },
  base64: (text) => (isBase64(text) ? Buffer.from(text, 'base64') : undefined),
  utf8: (text) => Buffer.from(text, 'utf8'),
};

/** Whether a text uses the alphabet of RFC 4648, section 4, with or without padding. Buffer itself accepts anything. */
const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) &&
  text.slice(0, text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : undefined).length % 4 !== 1;

/** Whether a text names a supported encoding. */
export const isPayloadEncoding = (text: string): text is PayloadEncoding => Object.hasOwn(readers, text);

/** Decodes a payload. Returns undefined if it is not valid in that encoding. Hexadecimal may contain white space. */
export const readPayload = (text: string, encoding: PayloadEncoding): Buffer | undefined => readers[encoding](text);
