import { type StreamType, VariableType } from '../../entities/enums.js';

/** What decoding needs to know of a product's variable. */
export interface DecodableVariable {
  name: string;
  type: VariableType;
  mappings?: readonly { streamId: number; streamType: StreamType; varNumber: number }[] | null;
}

/** A variable at its place in a stream. */
export interface StreamVariable {
  varNumber: number;
  name: string;
  type: VariableType;
}

/** The places of one stream, by ascending `varNumber`. */
export type Layout = readonly StreamVariable[];

/** The layout that a product's variables give a stream; empty where none is mapped to it. */
export const layoutOf = (variables: readonly DecodableVariable[], streamId: number, streamType: StreamType): Layout =>
  variables
    .flatMap(({ name, type, mappings }) =>
      (mappings ?? [])
        .filter((mapping) => mapping.streamId === streamId && mapping.streamType === streamType)
        .map(({ varNumber }) => ({ varNumber, name, type })),
    )
    .sort((a, b) => a.varNumber - b.varNumber);

/** Wire codes of the types in a BIN tag (its low three bits), by code. */
export const typeCodes: readonly VariableType[] = [
  VariableType.BOOL,
  VariableType.TXT,
  VariableType.INT16,
  VariableType.INT64,
  VariableType.FLOAT32,
  VariableType.UINT8,
  VariableType.UINT16,
  VariableType.UINT32,
];
