//! The network as a textbook writes it: every array spelled out, in `f64`, nothing fused.

use idpas_graph::Bipartite;
use idpas_nn::Network;

type Matrix = Vec<Vec<f64>>;

struct Model<'a>(&'a Network<f64>);

impl Model<'_> {
    fn tensor(&self, name: &str) -> &[f64] {
        let entry = self.0.layout().get(name).expect("a tensor of that name");
        &self.0.parameters()[entry.range.clone()]
    }

    fn linear(&self, name: &str, rows: &Matrix, bias: bool) -> Matrix {
        let weight = self.tensor(&format!("{name}.weight"));
        let bias = bias.then(|| self.tensor(&format!("{name}.bias")));
        let row = |row: &Vec<f64>| {
            let product = weight
                .chunks(row.len())
                .map(|weights| weights.iter().zip(row).map(|(w, x)| w * x).sum::<f64>());
            let add = |(o, sum): (usize, f64)| sum + bias.map_or(0.0, |bias| bias[o]);
            product.enumerate().map(add).collect()
        };
        rows.iter().map(row).collect()
    }

    fn mlp(&self, name: &str, rows: &Matrix) -> Matrix {
        self.linear(
            &format!("{name}.2"),
            &relu(self.linear(&format!("{name}.0"), rows, true)),
            true,
        )
    }

    /// `edges` are (source, target, features after the embedding).
    fn stage(&self, name: &str, sources: &Matrix, targets: &Matrix, edges: &Edges) -> Matrix {
        let config = self.0.config();
        let (heads, width) = (config.heads, config.head_width);
        let within = format!("{name}.attention");
        let left = self.linear(&format!("{within}.lin_l"), sources, true);
        let right = self.linear(&format!("{within}.lin_r"), targets, true);
        let edge = self.linear(&format!("{within}.lin_edge"), &edges.embedded, false);
        let att = self.tensor(&format!("{within}.att"));
        let bias = self.tensor(&format!("{within}.bias"));
        let mut out = vec![vec![0.0; heads * width]; targets.len()];
        for h in 0..heads {
            let channels = h * width..(h + 1) * width;
            let score = |(k, &(j, i)): (usize, &(usize, usize))| -> f64 {
                let leaky = |c: usize| {
                    let t = left[j][c] + right[i][c] + edge[k][c];
                    att[c] * if t > 0.0 { t } else { 0.2 * t }
                };
                channels.clone().map(leaky).sum()
            };
            let scores: Vec<f64> = edges.ends.iter().enumerate().map(score).collect();
            for (i, out) in out.iter_mut().enumerate() {
                let mine = || {
                    edges
                        .ends
                        .iter()
                        .zip(&scores)
                        .filter(|(ends, _)| ends.1 == i)
                };
                let most = mine().map(|(_, &s)| s).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = mine().map(|(_, &s)| (s - most).exp()).sum();
                for (&(j, _), &s) in mine() {
                    let alpha = (s - most).exp() / (sum + 1e-16);
                    for c in channels.clone() {
                        out[c] += alpha * left[j][c];
                    }
                }
            }
        }
        let joined: Matrix = targets
            .iter()
            .zip(out)
            .map(|(own, out)| {
                let out = out.iter().zip(bias).map(|(x, b)| x + b);
                own.iter().copied().chain(out).collect()
            })
            .collect();
        let update = relu(self.linear(&format!("{name}.combine"), &joined, true));
        if config.residual_norm {
            self.norm(&format!("{name}.norm"), targets, &update)
        } else {
            update
        }
    }

    fn norm(&self, name: &str, own: &Matrix, update: &Matrix) -> Matrix {
        let weight = self.tensor(&format!("{name}.weight"));
        let bias = self.tensor(&format!("{name}.bias"));
        let row = |(own, update): (&Vec<f64>, &Vec<f64>)| {
            let sum: Vec<f64> = own.iter().zip(update).map(|(a, b)| a + b).collect();
            let count = sum.len() as f64;
            let mean = sum.iter().sum::<f64>() / count;
            let variance = sum.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            let scaled =
                |(c, x): (usize, &f64)| (x - mean) / (variance + 1e-5).sqrt() * weight[c] + bias[c];
            sum.iter().enumerate().map(scaled).collect()
        };
        own.iter().zip(update).map(row).collect()
    }
}

struct Edges {
    ends: Vec<(usize, usize)>,
    embedded: Matrix,
}

fn relu(mut rows: Matrix) -> Matrix {
    rows.iter_mut().flatten().for_each(|x| *x = x.max(0.0));
    rows
}

fn matrix(table: &idpas_graph::Table) -> Matrix {
    let row = |i| table.row(i).iter().map(|&x| f64::from(x)).collect();
    (0..table.rows()).map(row).collect()
}

/// A logit per variable.
pub(crate) fn logits(network: &Network<f64>, graph: &Bipartite) -> Vec<f64> {
    let model = Model(network);
    let mut variables = relu(model.mlp("variable_embedding", &matrix(&graph.variables)));
    let mut rows = relu(model.mlp("row_embedding", &matrix(&graph.rows)));
    let embedded = model.linear("edge_embedding", &matrix(&graph.edges), true);
    let of_row = |i| graph.by_row.of(i).iter().map(move |&j| (j as usize, i));
    let ends: Vec<_> = (0..graph.by_row.nodes()).flat_map(of_row).collect();
    let turned = ends.iter().map(|&(j, i)| (i, j)).collect();
    let to_rows = Edges {
        ends,
        embedded: embedded.clone(),
    };
    let to_variables = Edges {
        ends: turned,
        embedded,
    };
    for round in 0..network.config().rounds {
        let name = format!("rounds.{round}");
        rows = model.stage(&format!("{name}.to_rows"), &variables, &rows, &to_rows);
        variables = model.stage(
            &format!("{name}.to_variables"),
            &rows,
            &variables,
            &to_variables,
        );
    }
    let out = model.mlp("output", &variables);
    out.into_iter().map(|row| row[0]).collect()
}
