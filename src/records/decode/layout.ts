import { type StreamType, VariableType } from '#entities/enums.js';

/** The properties of a product's variable that decoding needs. */
export interface DecodableVariable {
  name: string;
  type: VariableType;
  mappings?: readonly { streamId: number; streamType: StreamType; varNumber: number }[] | null;
}

/** A variable at its position in a stream. */
export interface StreamVariable {
  varNumber: number;
  name: string;
  type: VariableType;
}

/** Variables of one stream, by ascending `varNumber`. */
export type Layout = readonly StreamVariable[];

/** Returns the layout of a stream from a product's variables. It is empty if none is mapped to the stream. */
export const layoutOf = (variables: readonly DecodableVariable[], streamId: number, streamType: StreamType): Layout =>
  variables
    .flatMap(({ name, type, mappings }) =>
      (mappings ?? [])
        .filter((mapping) => mapping.streamId === streamId && mapping.streamType === streamType)
        .map(({ varNumber }) => ({ varNumber, name, type })),
    )
    .sort((a, b) => a.varNumber - b.varNumber);

/** Types by their code in a BIN tag (its low three bits). */
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
