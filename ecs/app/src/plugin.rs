//! Plugins: parts of a program that add themselves to its `App`.

use std::any::{Any, type_name};

use crate::app::App;

/// A part of a program that adds its systems, resources and further plugins to an [`App`].
///
/// A function that takes `&mut App` is also a plugin. [`App::add_plugins`] calls [`build`](Plugin::build) immediately;
/// [`finish`](Plugin::finish) and [`cleanup`](Plugin::cleanup) are called after all plugins have been built, before the
/// first frame.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(Resource)] struct Gravity(f32);
/// # fn fall() {}
/// # fn draw() {}
///
/// struct Physics {
///     gravity: f32,
/// }
///
/// impl Plugin for Physics {
///     fn build(&self, app: &mut App) {
///         app.insert_resource(Gravity(self.gravity)).add_systems(Update, fall);
///     }
/// }
///
/// fn drawing(app: &mut App) {
///     app.add_systems(PostUpdate, draw);
/// }
///
/// let mut app = App::new();
/// app.add_plugins((Physics { gravity: 9.81 }, drawing));
/// assert!(app.is_plugin_added::<Physics>());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin: implement `Plugin` for it, or give a function that takes `&mut App`",
    label = "not a plugin"
)]
pub trait Plugin: Any + Send + Sync {
    /// Adds the systems, resources and other parts of the plugin.
    fn build(&self, app: &mut App);

    /// Called before the first frame after the plugin was added, when all other plugins have been built.
    fn finish(&self, _app: &mut App) {}

    /// Called when all plugins have been finished, before the first frame.
    fn cleanup(&self, _app: &mut App) {}

    /// The name of the plugin, for messages: by default the name of its type. Two plugins with the same type and name
    /// count as the same plugin.
    fn name(&self) -> &str {
        type_name::<Self>()
    }

    /// Whether adding the plugin twice is an error. By default it is.
    fn is_unique(&self) -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(&mut App) + Send + Sync + 'static> Plugin for F {
    fn build(&self, app: &mut App) {
        self(app);
    }
}

/// The argument of [`App::add_plugins`]: a [`Plugin`], a [`PluginGroup`](crate::PluginGroup), or a tuple of these, which
/// may be nested.
///
/// ```
/// use strata_app::prelude::*;
/// # fn physics(app: &mut App) {}
/// # fn sound(app: &mut App) {}
/// # fn menu(app: &mut App) {}
/// App::new().add_plugins((MinimalPlugins, physics, (sound, menu)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}`, or a member of it, is neither a plugin nor a group of plugins",
    label = "not a plugin",
    note = "implement `Plugin` for it, or give a function that takes `&mut App`",
    note = "a tuple has at most 15 plugins, and may contain further tuples: `((a, b), (c, d))`"
)]
pub trait Plugins<Marker> {
    #[doc(hidden)]
    fn add_to(self, app: &mut App);
}

#[doc(hidden)]
pub struct PluginMarker;
#[doc(hidden)]
pub struct PluginsTupleMarker;

#[diagnostic::do_not_recommend]
impl<P: Plugin> Plugins<PluginMarker> for P {
    #[track_caller]
    fn add_to(self, app: &mut App) {
        app.add_plugin(Box::new(self));
    }
}

/// The impl for tuples of this many members: each has a type, and the marker of its kind.
macro_rules! tuple {
    ($($P:ident $M:ident),*) => {
        #[diagnostic::do_not_recommend]
        #[expect(non_snake_case, reason = "each value is named after its type parameter")]
        impl<$($P, $M),*> Plugins<(PluginsTupleMarker, $($M),*)> for ($($P,)*)
        where
            $($P: Plugins<$M>),*
        {
            #[track_caller]
            fn add_to(self, app: &mut App) {
                let ($($P,)*) = self;
                $($P.add_to(app);)*
            }
        }
    };
}

tuple!(A A1);
tuple!(A A1, B B1);
tuple!(A A1, B B1, C C1);
tuple!(A A1, B B1, C C1, D D1);
tuple!(A A1, B B1, C C1, D D1, E E1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1, N N1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1, N N1, O O1);
