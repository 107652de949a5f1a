# Redoes the values of R's pls in pls2_reference_test.cpp:  Rscript tests/reference/pls2_r.R
suppressMessages(library(pls))

i <- 1:15
x <- outer(i, 1:6, function(i, j) (7 * i * i + 11 * i * j + 5 * j * j * j + 3 * j) %% 29 / 10)
noise <- outer(i, 1:3, function(i, k) (3 * i * i + 5 * i * k + k) %% 11 / 10)
y <- x[, 1:3] - 0.5 * x[, 4:6] + noise

cat("R", paste(R.version$major, R.version$minor, sep = "."), "pls", as.character(packageVersion("pls")), "\n")
for (q in c(1, 3)) {
  model <- plsr(y[, 1:q, drop = FALSE] ~ x, ncomp = 3, scale = FALSE, method = "kernelpls")
  values <- matrix(coef(model, ncomp = 3, intercept = TRUE), ncol = q)  # intercepts first
  cat("q =", q, ": coefficients by input, then the intercepts\n")
  for (row in c(2:7, 1)) cat("  {", paste(sprintf("%.17g", values[row, ]), collapse = ", "), "},\n", sep = "")
}
