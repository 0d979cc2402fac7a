'use strict';
// GraphQL without caches: parses, validates and executes each request. Every field of every item has its own resolver;
// half of the resolvers are async.
const { buildSchema, execute, parse, validate } = require('graphql');

const ITEMS = 25;

const schema = buildSchema(`
  type Owner { id: ID!, name: String! }
  type Run { id: ID!, title: String!, status: String!, durationMs: Int!, owner: Owner! }
  type Query { runs(first: Int!): [Run!]! }
`);

class Run {
  constructor(index) {
    this.index = index;
  }
  id() {
    return `run_${this.index}`;
  }
  async title() {
    return `Run number ${this.index}`;
  }
  async status() {
    return this.index % 3 === 0 ? 'FAILED' : 'COMPLETED';
  }
  durationMs() {
    return this.index * 17;
  }
  async owner() {
    return { id: () => `user_${this.index % 5}`, name: async () => `User ${this.index % 5}` };
  }
}

const rootValue = { runs: async ({ first }) => Array.from({ length: first }, (_, index) => new Run(index)) };
const query = `query Runs { runs(first: ${ITEMS}) { id title status durationMs owner { id name } } }`;

module.exports = async function handle(_request, response) {
  const document = parse(query);
  const errors = validate(schema, document);
  if (errors.length > 0) throw errors[0];
  const result = await execute({ schema, document, rootValue });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result));
};
