import { buildSchema, graphql } from 'graphql';

await graphql({ schema: buildSchema('type Query { a: Int }'), source: '{ a }', rootValue: { a: 1 } });
