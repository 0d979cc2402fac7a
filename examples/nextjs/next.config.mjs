// Source maps of the server's code: without them, a span has the line of the built file.
export default { experimental: { serverSourceMaps: true } };
