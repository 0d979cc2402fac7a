const browserify = require('browserify');
const { minify } = require('uglify-js');

browserify({ entries: ['entry.cjs'] }).bundle((error, bundle) => {
  if (error) throw error;
  const { code, error: failure } = minify(bundle.toString(), { compress: { passes: 2 } });
  if (failure) throw failure;
  console.log(bundle.length, code.length);
});
