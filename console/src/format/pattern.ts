/** Escapes a text for a filter that takes regular expressions. */
export const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
