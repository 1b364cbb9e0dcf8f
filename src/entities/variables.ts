import type { Fault } from '#common/errors.js';
import { StreamType, VariableType } from './enums.js';
import type { Variable } from './product.js';

/** Largest stream number that a frame can name. */
export const largestStreamId = 255;

/** A mapping that never decodes, with its variable. */
export interface UnusedMapping extends Omit<MappingPlace, 'path' | 'variable'> {
  variable: string;
}

/** Finds the mappings that no frame can name. They are stored, but never decode. */
export const unusedMappings = (variables: readonly Variable[]): UnusedMapping[] =>
  variables.flatMap(({ name, mappings }) =>
    (mappings ?? [])
      .filter(
        ({ streamId, streamType, varNumber }) =>
          streamId > largestStreamId || (streamType === StreamType.BIN && (varNumber < 1 || varNumber > 32)),
      )
      .map(({ streamId, streamType, varNumber }) => ({ variable: name, streamId, streamType, varNumber })),
  );

interface MappingPlace {
  path: string;
  streamId: number;
  streamType: StreamType;
  varNumber: number;
  variable: Variable;
}

/**
 * Returns faults of a product's variables taken together: a repeated name, a repeated position in a stream, or text
 * that is not last in a positional (RAW) stream, where it takes the remaining bytes.
 */
export function variableFaults(variables: readonly Variable[]): Fault[] {
  const places = variables.flatMap((variable, i) =>
    (variable.mappings ?? []).map(
      ({ streamId, streamType, varNumber }, j): MappingPlace => ({
        streamId,
        streamType,
        varNumber,
        variable,
        path: `variables.${i}.mappings.${j}`,
      }),
    ),
  );
  return [
    ...repeated(variables.map(({ name }, i) => [name, `variables.${i}.name`] as const)).map((path) => ({
      path,
      message: 'this name is used by another variable',
    })),
    ...repeated(places.map((place) => [placeKey(place), place.path] as const)).map((path) => ({
      path,
      message: 'this place in the stream is taken by another mapping',
    })),
    ...places
      .filter((place) => hidesWhatFollows(place, places))
      .map(({ path }) => ({
        path,
        message: 'a TXT variable can only be the last of a RAW stream',
      })),
  ];
}

const placeKey = ({ streamId, streamType, varNumber }: MappingPlace) => `${streamId}/${streamType}/${varNumber}`;

const hidesWhatFollows = (place: MappingPlace, places: readonly MappingPlace[]) =>
  place.streamType === StreamType.RAW &&
  place.variable.type === VariableType.TXT &&
  places.some(
    (other) =>
      other.streamId === place.streamId && other.streamType === StreamType.RAW && other.varNumber > place.varNumber,
  );

/** Returns the paths of repeated keys, except the first occurrence of each. */
function repeated(entries: readonly (readonly [key: string, path: string])[]): string[] {
  const seen = new Set<string>();
  return entries.filter(([key]) => seen.has(key) || !seen.add(key)).map(([, path]) => path);
}
