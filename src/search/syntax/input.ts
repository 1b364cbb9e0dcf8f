import { type JsonMember, JsonObject, type LocatedJson, type TextPosition } from '#json/json.js';
import { type FaultPosition, SearchFailure } from '../search-failure.js';

/** A node of the request with its path. Every parser takes one, and every fault refers to one. */
export class Input implements FaultPosition {
  constructor(
    readonly node: LocatedJson,
    readonly path: string,
  ) {}

  get line(): number {
    return this.node.line;
  }

  get col(): number {
    return this.node.col;
  }

  /** The last key of the path. */
  get key(): string {
    return this.path.slice(this.path.lastIndexOf('.') + 1);
  }

  /**
   * Returns the entries of an object, and none for other nodes.
   * @throws SearchFailure for a repeated key
   */
  members(): Entry[] {
    if (this.node.kind !== 'object') return [];
    if (this.node.repeated !== undefined) throw repeated(this.node.repeated, this.path);
    return this.node.members.map((member) => new Entry(member, `${this.path}.${member.key}`));
  }

  /** Returns the value of a key, or undefined. */
  get(key: string): Input | undefined {
    const value = this.node instanceof JsonObject ? this.node.get(key) : undefined;
    return value === undefined ? undefined : new Input(value, `${this.path}.${key}`);
  }

  /** Returns the items of an array, or the node itself as the only one. */
  items(): Input[] {
    if (this.node.kind !== 'array') return [this];
    return this.node.items.map((item, index) => new Input(item, `${this.path}.${index}`));
  }

  /** Position of the closing bracket, at which the engines report missing parts. */
  get end(): FaultPosition {
    const end: TextPosition = this.node.kind === 'object' || this.node.kind === 'array' ? this.node.end : this.node;
    return { ...end, path: this.path };
  }

  get isObject(): boolean {
    return this.node.kind === 'object';
  }

  get isArray(): boolean {
    return this.node.kind === 'array';
  }

  get isNull(): boolean {
    return this.node.kind === 'literal' && this.node.value === null;
  }
}

/** A key of an object with its value. `place` is the key's position. */
export class Entry {
  readonly key: string;
  readonly place: FaultPosition;
  readonly input: Input;

  constructor(member: JsonMember, path: string) {
    this.key = member.key;
    this.place = { line: member.line, col: member.col, path };
    this.input = new Input(member.value, path);
  }
}

const repeated = ({ key, line, col }: JsonMember, path: string) =>
  new SearchFailure(400, 'json_parse_exception', `Duplicate field '${key}'`, { line, col, path: `${path}.${key}` });
