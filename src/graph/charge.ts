import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, Kind, OperationTypeNode, type SelectionSetNode } from 'graphql';
import type { GraphContext } from './context.js';

/**
 * Charges every mutation after the first of an operation that was sent as a hash. The others were counted by their text
 * before they ran (`weight.ts`).
 */
export const chargeMutations = (): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, request, contextValue }) {
        if (request.query !== undefined) return;
        if (operation?.operation !== OperationTypeNode.MUTATION) return;
        const more = countFields(document, operation.selectionSet) - 1;
        if (more > 0) await contextValue.charge(more);
      },
    };
  },
});

/**
 * Counts the fields of a selection, including those of its fragments. It relies on validation, which refuses fragment
 * cycles.
 */
const countFields = (document: DocumentNode, { selections }: SelectionSetNode): number =>
  selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + 1;
    if (selection.kind === Kind.INLINE_FRAGMENT) return sum + countFields(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? sum + countFields(document, fragment.selectionSet) : sum;
  }, 0);
