import { EngineFailure } from './error.js';

/** Content type of a response. */
export interface Media {
  /** Content type of a JSON response. */
  readonly json: string;
  /** Whether the caller asked for JSON by name, before text. */
  readonly isJson: boolean;
}

const plainJson: Media = { json: 'application/json; charset=utf-8', isJson: false };

/**
 * Chooses the content type by the header `Accept`: that of the engines' clients with their compatibility version, or
 * plain JSON.
 * @throws EngineFailure 406 if the caller accepts unsupported types only, such as YAML and CBOR
 */
export const mediaOf = (accept = ''): Media => {
  if (accept.trim() === '') return plainJson;
  const ranges = accept.toLowerCase().split(',');
  for (const range of ranges) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type === 'application/vnd.elasticsearch+json' || type === 'application/vnd.elasticsearch+x-ndjson') {
      const compatible = parameters.find((each) => /^compatible-with=\d+$/.test(each));
      return { json: `application/vnd.elasticsearch+json${compatible ? `;${compatible}` : ''}`, isJson: true };
    }
    if (type === 'application/json' || type === 'application/x-ndjson') return { ...plainJson, isJson: true };
    if (type === '*/*' || type === 'application/*' || type === 'text/plain' || type === 'text/*') return plainJson;
  }
  throw new EngineFailure(
    406,
    'media_type_header_exception',
    `Accept header [${accept.slice(0, 200)}] is not supported`,
  );
};
