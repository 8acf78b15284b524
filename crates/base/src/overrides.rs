//! Settings that override defaults where a user says so, declared once for the command line and for study files.

/// Declares a struct of settings that override defaults: each is an `Option`, `None` where it is left unsaid.
///
/// The one list of fields is the list of keys of a table in a study file (by `serde`, which refuses unknown keys), the list
/// of flags of a command (a field `first_share` is `--first-share`), and what one table takes from another. Fields with
/// `#[serde(skip)]` are flags only. The type of a field needs `Clone`, `Debug`, `PartialEq`, `serde`'s traits unless the
/// field is skipped, and a `Display` that gives the value of the flag.
///
/// ```
/// idpas_base::overrides! {
///     /// How to bake, where it differs from the recipe.
///     pub struct BakeOverrides {
///         /// Minutes in the oven.
///         pub bake_time: f64,
///         /// Loaves at a time.
///         pub loaves: usize,
///     }
/// }
///
/// let general = BakeOverrides { bake_time: Some(40.0), loaves: Some(2) };
/// let special = BakeOverrides { bake_time: Some(55.5), loaves: None };
/// assert_eq!(special.or(&general).flags(), ["--bake-time", "55.5", "--loaves", "2"]);
/// ```
#[macro_export]
macro_rules! overrides {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$field_about:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[$field_about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        impl $name {
            /// These, with what they leave unsaid from `other`.
            pub fn or(&self, other: &Self) -> Self {
                $name {
                    $($field: self.$field.clone().or_else(|| other.$field.clone()),)*
                }
            }

            /// The words of a command line that say the same, in the order of the fields.
            pub fn flags(&self) -> Vec<String> {
                let mut words = Vec::new();
                $(
                    if let Some(value) = &self.$field {
                        words.push(concat!("--", stringify!($field)).replace('_', "-"));
                        words.push(value.to_string());
                    }
                )*
                words
            }
        }
    };
}

/// Parses a number of seconds, as a flag has it.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number of seconds, 0 or more".into()),
    }
}
