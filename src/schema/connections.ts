import {
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { invalid } from '#common/errors.js';
import type { Context } from './context.js';
import type { Page } from './page.js';
import type { SelectionInfo, ShownConnection } from './selected-fields.js';

type Field = GraphQLField<unknown, Context>;
type Argument = Field['args'][number];
type Arguments = Readonly<Record<string, unknown>>;

/** Maximum length of a cursor, in characters. */
const maxCursor = 32_768;

/**
 * Adds a connection (GraphQL Cursor Connections Specification) beside each page of nodes: `devicesConnection` beside
 * `devices`. The resolver of the page reads the connection, so access, filters and limits are the same.
 */
export function addConnections(schema: GraphQLSchema): GraphQLSchema {
  const connectionOf = createTypes();
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      const node = nodeOfPage(field.type);
      if (node === undefined) continue;
      const isRoot = type === schema.getQueryType();
      const name = `${field.name}Connection`;
      fields[name] = connectionBeside(field, { name, isRoot, of: `${type.name}.${field.name}` }, connectionOf(node));
    }
  }
  // Only types that implement an interface are listed, as no field may refer to them. Types that are no longer referred
  // to are left out.
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && type.getInterfaces().length > 0,
  );
  return new GraphQLSchema({ ...schema.toConfig(), types });
}

/** Returns the type of a page's items if it is a Node. */
function nodeOfPage(of: GraphQLOutputType): GraphQLObjectType | undefined {
  const page = getNamedType(of);
  if (!isObjectType(page) || !page.name.endsWith('Page')) return undefined;
  const item = getNamedType(page.getFields()['items']?.type);
  return isObjectType(item) && item.getInterfaces().some(({ name }) => name === 'Node') ? item : undefined;
}

/** Creates the types of a node's connection, once per node. */
function createTypes(): (node: GraphQLObjectType) => GraphQLObjectType {
  const known = new Map<GraphQLObjectType, GraphQLObjectType>();
  return (node) => {
    const existing = known.get(node);
    if (existing !== undefined) return existing;
    const { name } = node;
    const required = new GraphQLNonNull(node);
    const edge = new GraphQLObjectType({
      name: `${name}Edge`,
      description: `An item in a list of type ${name}.`,
      fields: {
        cursor: { type: new GraphQLNonNull(GraphQLString), description: 'Cursor of this item, for `after`.' },
        node: { type: required, description: 'The item itself.', extensions: { part: true } },
      },
    });
    const listOf = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
    const connection = new GraphQLObjectType({
      name: `${name}Connection`,
      description: `Part of a list of type ${name}, after a cursor.`,
      fields: {
        edges: { type: listOf(edge), description: 'Items in the order of the list, each with its cursor.' },
        nodes: { type: listOf(node), description: 'The same items in the same order, without cursors.' },
        pageInfo: {
          type: new GraphQLNonNull(pageInfo),
          description: 'Start and end of this part of the list.',
          extensions: { part: true },
        },
        totalCount: {
          type: GraphQLInt,
          description: 'Number of items in the whole list; null if it is not counted.',
        },
      },
    });
    known.set(node, connection);
    return connection;
  };
}

const pageInfoFields: GraphQLFieldConfigMap<unknown, Context> = {
  hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), description: 'Whether items follow the last one.' },
  hasPreviousPage: {
    type: new GraphQLNonNull(GraphQLBoolean),
    description: 'Whether this part begins after a cursor.',
  },
  startCursor: { type: GraphQLString, description: 'Cursor of the first item; null if there is none.' },
  endCursor: { type: GraphQLString, description: 'Cursor of the last item, for `after`; null if there is none.' },
};

const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'Start and end of a part of a list.',
  fields: pageInfoFields,
});

interface PageField {
  name: string;
  isRoot: boolean;
  /** Name of the page, by which cursors identify their list. */
  of: string;
}

function connectionBeside(page: Field, { name, isRoot, of }: PageField, type: GraphQLObjectType): Field {
  const { resolve } = page;
  const ofPage = page.args.filter((argument) => !['limit', 'page', 'after'].includes(argument.name));
  const parents = isRoot ? ofPage.filter((argument) => isNonNullType(argument.type)) : [];
  let last: SelectionInfo['connection'];
  const read: Field['resolve'] = (root, args: Arguments, context, info) => {
    const { first: size, after, ...others } = args;
    const first = size ?? usualSize;
    const cursor = typeof after === 'string' ? after : null;
    requireSize(first, cursor);
    const sort = typeof others['sort'] === 'string' ? ` ${others['sort']}` : '';
    const parentId = isRoot ? parents.map((argument) => String(args[argument.name])).join('/') : undefined;
    const shown: ShownConnection = { kind: `${of}${sort}`, ...(parentId !== undefined && { parentId }) };
    // The object is the same for all rows in succession, so that their arguments are checked once.
    if (last?.after !== cursor || last.shown.kind !== shown.kind || last.shown.parentId !== parentId) {
      last = { shown, after: cursor };
    }
    const shownInfo: GraphQLResolveInfo & SelectionInfo = { ...info, connection: last };
    const answer: unknown = resolve?.(root, { ...others, limit: first, page: 1 }, context, shownInfo);
    return answer instanceof Promise
      ? answer.then((items) => shownAs(items as Walked, cursor))
      : shownAs(answer as Walked, cursor);
  };
  return {
    ...page,
    name,
    description: `${page.description ?? ''} Read by cursor, so that items created or deleted meanwhile neither repeat nor hide others.`,
    type: isNonNullType(page.type) ? new GraphQLNonNull(type) : type,
    args: [firstArgument, afterArgument, ...ofPage],
    resolve: read,
  };
}

const argument = (name: string, description: string, type: Argument['type'], usual?: number): Argument => ({
  name,
  description,
  type,
  defaultValue: usual,
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
});

/** Default number of items. */
const usualSize = 10;

const firstArgument = argument('first', 'Number of items, 1 to 1000.', GraphQLInt, usualSize);
const afterArgument = argument(
  'after',
  'Only items after this cursor, which an edge or `pageInfo` of this list returned; by default from the beginning.',
  GraphQLString,
);

function requireSize(first: unknown, after: string | null): void {
  if (typeof first !== 'number' || first < 1 || first > 1000) {
    throw invalid([{ path: 'first', message: 'must be between 1 and 1000' }]);
  }
  if (after !== null && after.length > maxCursor) {
    throw invalid([{ path: 'after', message: `must have at most ${maxCursor} characters` }]);
  }
}

type Walked = Page<object> & { hasMore?: boolean; cursors?: (string | null)[] };

const shownAs = ({ items, totalCount, hasMore = false, cursors = [] }: Walked, after: string | null) => ({
  edges: items.map((node, index) => ({ cursor: cursors[index], node })),
  nodes: items,
  totalCount,
  pageInfo: {
    hasNextPage: hasMore,
    hasPreviousPage: after !== null,
    startCursor: cursors[0] ?? null,
    endCursor: cursors.at(-1) ?? null,
  },
});
