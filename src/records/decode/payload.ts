/** How the payload of a frame is written as text. */
export type PayloadEncoding = 'hex' | 'base64' | 'utf8';

const readers: Record<PayloadEncoding, (text: string) => Buffer | undefined> = {
  hex: (text) => {
    const digits = text.replace(/\s/g, '');
    return /^([0-9a-f]{2})*$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
  },
  base64: (text) => (isBase64(text) ? Buffer.from(text, 'base64') : undefined),
  utf8: (text) => Buffer.from(text, 'utf8'),
};

/** Alphabet of RFC 4648, section 4, with or without padding. Buffer itself takes anything. */
const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) &&
  text.slice(0, text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : undefined).length % 4 !== 1;

/** Whether a text names an encoding that we read. */
export const isPayloadEncoding = (text: string): text is PayloadEncoding => Object.hasOwn(readers, text);

/** The bytes that a payload stands for; undefined where it is not written in that encoding. Hexadecimal may hold blanks. */
export const readPayload = (text: string, encoding: PayloadEncoding): Buffer | undefined => readers[encoding](text);
