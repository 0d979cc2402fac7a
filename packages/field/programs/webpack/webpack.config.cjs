module.exports = {
  mode: 'production',
  entry: './entry.mjs',
  target: 'node',
  devtool: 'source-map',
  output: { path: `${__dirname}/out` },
};
