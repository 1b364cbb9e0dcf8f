import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { Node } from './node.js';

/** Contents of an imported file. */
export enum ImportKind {
  devices = 'devices',
  records = 'records',
}

registerEnumType(ImportKind, { name: 'ImportKind', description: 'Content of an imported file.' });

/** Formats of imported files. */
export enum ImportFormat {
  csv = 'csv',
  ndjson = 'ndjson',
  parquet = 'parquet',
}

registerEnumType(ImportFormat, { name: 'ImportFormat', description: 'Format of an imported file.' });

/** States of an import. */
export enum ImportState {
  checking = 'checking',
  checked = 'checked',
  applying = 'applying',
  done = 'done',
  failed = 'failed',
}

registerEnumType(ImportState, {
  name: 'ImportState',
  description: 'State of an import.',
  valuesConfig: {
    checking: { description: 'A dry run reads the file.' },
    checked: { description: 'The dry run has ended. Nothing is stored, and the import may be applied.' },
    applying: { description: 'The lines of the file are being stored.' },
    done: { description: 'Every line is stored, was stored before, or is reported as rejected.' },
    failed: { description: 'The import ended early; the error of its job says why.' },
  },
});

@ObjectType({ description: 'A fault of a line in a file.' })
export class ImportFault {
  @Field(() => Int, {
    description: 'Number of the line on which the fault begins, from 1; for a Parquet file, number of the row, from 1.',
  })
  @RestScalar('Float')
  line!: number;
  @Field(() => Int, { nullable: true, description: 'Number of the column, from 1, if the fault is in one.' }) column?:
    | number
    | null;
  @Field(() => String, { nullable: true, description: 'Name of the column.' }) field?: string | null;
  @Field(() => String, { description: 'Description of the fault.' }) message!: string;
}

/** Maximum number of faults that are listed. All faults are counted. */
export const listedFaults = 1000;

@ObjectType({
  description: 'Values of one variable that do not fit its type. Imports store them, and searches ignore them.',
})
export class IgnoredValues {
  @Field(() => String, { description: 'Name of the variable.' }) field!: string;
  @Field(() => Int, { description: 'Number of lines with such a value.' }) @RestScalar('Float') count!: number;
  @Field(() => Int, { description: 'Number of the first of these lines.' }) @RestScalar('Float') line!: number;
  @Field(() => String, { description: 'The value on that line, and the type that it does not fit.' }) message!: string;
}

/** Maximum number of variables whose ignored values are listed. All are counted. */
export const listedIgnored = 100;

@ObjectType({
  implements: Node,
  description: 'An imported file of devices or records, with the outcome of its lines, first in the dry run.',
})
export class FileImport {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Organization that the file is imported into.' }) organizationId!: string;
  @Field(() => ImportKind, { description: 'Content of the file.' }) kind!: ImportKind;
  @Field(() => ImportFormat, { description: 'Format of the file.' }) format!: ImportFormat;
  @Field(() => ImportState, { description: 'State of the import.' }) state!: ImportState;
  @Field(() => Int, { description: 'Bytes of the file.' }) @RestScalar('Float') bytes!: number;
  @Field(() => Int, { description: 'Lines read so far, without the header.' }) @RestScalar('Float') lines!: number;
  @Field(() => Int, {
    description: 'Lines from which a device was registered or a record stored; in a dry run, would be.',
  })
  @RestScalar('Float')
  created!: number;
  @Field(() => Int, { description: 'Lines that changed a device; in a dry run, would change one.' })
  @RestScalar('Float')
  updated!: number;
  @Field(() => Int, {
    description: 'Lines that change nothing, as the device is already in that state or the record was stored before.',
  })
  @RestScalar('Float')
  unchanged!: number;
  @Field(() => Int, { description: 'Lines with faults. Nothing of them is stored.' })
  @RestScalar('Float')
  rejected!: number;
  @Field(() => Int, { description: 'Number of faults in all lines.' }) @RestScalar('Float') faultCount!: number;
  @Field(() => [ImportFault], { description: `The first ${listedFaults} faults, in the order of the lines.` })
  faults!: ImportFault[];
  @Field(() => Int, {
    nullable: true,
    description:
      'Values of records that do not fit the types of their variables, as the dry run counted them. Absent without one.',
  })
  @RestScalar('Float')
  ignoredCount?: number | null;
  @Field(() => [IgnoredValues], {
    description: `The ignored values by variable, of the first ${listedIgnored} variables that have some.`,
  })
  ignored!: IgnoredValues[];
  /** Job that processes the file: the dry run, then the import. */
  jobId?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the upload.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the last progress.' }) updatedAt!: string;
}

/** A file that is being uploaded. */
export class FileBody {
  constructor(
    readonly format: ImportFormat,
    /** Yields the bytes of the file. A reader may stop early; the sender handles the rest. */
    readonly bytes: () => AsyncIterable<Uint8Array>,
  ) {}
}

/** A scalar for files: on REST the body of the request, in the graph its text, or base64 for a Parquet file. */
export const FileContent: GraphQLScalarType<FileBody | string, unknown> = new GraphQLScalarType({
  name: 'FileContent',
  description: 'A file: its text, or for a Parquet file its bytes as base64. On REST it is the body of the request.',
  parseValue: (value) => fileOf(value),
  parseLiteral: (node) => fileOf(node.kind === Kind.STRING ? node.value : undefined),
  serialize: String,
});

const fileOf = (value: unknown): FileBody | string => {
  if (typeof value === 'string' || value instanceof FileBody) return value;
  throw new TypeError('FileContent must be a string');
};
